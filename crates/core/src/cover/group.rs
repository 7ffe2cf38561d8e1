//! Relations of more than two inputs.

use crate::{Cover, GroupTooSmall, Pair, Reading};

/// The sides of one metamorphic test, two or more. An n-ary relation yields all its ordered pairs
/// `(i, j)` with `i < j` (the paper, section "Approach").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group<T>(Vec<T>);

impl<T> Group<T> {
    /// Creates a group of these sides.
    pub fn new(sides: Vec<T>) -> Result<Self, GroupTooSmall> {
        if sides.len() < 2 { Err(GroupTooSmall) } else { Ok(Group(sides)) }
    }

    /// The sides.
    pub fn sides(&self) -> &[T] {
        &self.0
    }

    /// How many pairs it yields.
    pub fn pair_count(&self) -> u64 {
        let sides = self.0.len() as u64;
        sides * (sides - 1) / 2
    }

    /// The pairs it yields.
    pub fn pairs(&self) -> impl Iterator<Item = Pair<&T>> {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(at, a)| self.0[at + 1..].iter().map(move |b| Pair { a, b }))
    }

    /// The group with `f` applied to each side in turn, or the first error.
    pub fn try_map<U, E>(&self, f: impl FnMut(&T) -> Result<U, E>) -> Result<Group<U>, E> {
        self.0.iter().map(f).collect::<Result<_, E>>().map(Group)
    }

    /// The group with `f` applied to each side.
    pub fn map<U>(self, f: impl FnMut(T) -> U) -> Group<U> {
        Group(self.0.into_iter().map(f).collect())
    }
}

impl<T, E> Group<Result<T, E>> {
    /// The group if all its sides are `Ok`, or the first error.
    pub fn transposed(self) -> Result<Group<T>, E> {
        self.0.into_iter().collect::<Result<_, E>>().map(Group)
    }
}

impl<T> From<Pair<T>> for Group<T> {
    fn from(pair: Pair<T>) -> Self {
        Group(vec![pair.a, pair.b])
    }
}

impl Group<Cover> {
    /// The union of the differences of all pairs: the sites that at least one side ran and not all
    /// did. It takes one pass over the sides, whatever the number of pairs.
    ///
    /// ```
    /// use metacov_core::{Cover, Group};
    ///
    /// let group = Group::new(vec![Cover::from([1, 2]), Cover::from([1, 3]), Cover::from([1, 2])])?;
    /// assert_eq!(group.difference(), Cover::from([2, 3]));
    /// # Ok::<(), metacov_core::GroupTooSmall>(())
    /// ```
    #[must_use]
    pub fn difference(&self) -> Cover {
        difference(&self.0[0], self.0[1..].iter())
    }
}

impl Group<Reading> {
    /// The union of the differences of all pairs, of the sites that the sides ran.
    #[must_use]
    pub fn difference(&self) -> Cover {
        difference(&self.0[0].executed, self.0[1..].iter().map(|side| &side.executed))
    }
}

fn difference<'c>(first: &Cover, others: impl Iterator<Item = &'c Cover>) -> Cover {
    let (mut any, mut all) = (first.clone(), first.clone());
    for cover in others {
        any |= cover;
        all &= cover;
    }
    any -= &all;
    any
}
