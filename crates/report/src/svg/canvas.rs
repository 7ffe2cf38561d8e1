//! Elements that all plots share: size, colours, title, legend.

use std::fmt::{Display, Write as _};

use unicode_width::UnicodeWidthStr;

use super::Labels;
use super::axis::Axis;

/// The size of a plot.
pub const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
/// The area of the data: left, top and bottom. The right end depends on the legend.
const LEFT: f64 = 64.0;
const TOP: f64 = 68.0;
const BOTTOM: f64 = HEIGHT - 56.0;
/// The margin at the right without a legend.
const RIGHT: f64 = 24.0;
/// The angle of names that would not fit otherwise.
const TILT: f64 = std::f64::consts::FRAC_PI_6;

/// How many series have a distinct colour; further series repeat the colours with another stroke.
const COLORS: usize = 7;
/// The estimated width of a letter: no font metrics are available.
const LETTER: f64 = 6.7;
/// Longer names are cut; the tooltip shows them in full.
const NAME_MAX: usize = 26;

/// Colours of Okabe and Ito, which people with any kind of colour vision can distinguish; slightly
/// darker in light mode and lighter in dark mode, for contrast.
const STYLE: &str = "\
text{font:12px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#24292f}\
.title{font-size:15px;font-weight:600}.dim{fill:#57606a}.end{text-anchor:end}\
.middle{text-anchor:middle}.paper{fill:#fff}.grid{stroke:#e4e7eb}.axis{stroke:#8c959f}\
.curve{fill:none;stroke-width:2;stroke-linejoin:round}\
.c0{--c:#0067a5}.c1{--c:#c44e00}.c2{--c:#00805f}.c3{--c:#b0508a}.c4{--c:#9a6b00}\
.c5{--c:#2f8fc4}.c6{--c:#5b5f66}.line{stroke:var(--c)}.area{fill:var(--c)}\
.soft{fill:var(--c);fill-opacity:.22}.dot{fill:var(--c);fill-opacity:.55}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9da7b3}.paper{fill:#0d1117}\
.grid{stroke:#2b323b}.axis{stroke:#6e7681}.c0{--c:#58a6e8}.c1{--c:#f0883e}.c2{--c:#3fb992}\
.c3{--c:#dd8fbd}.c4{--c:#e3b341}.c5{--c:#8fd0f5}.c6{--c:#aab2bd}}";

/// Strokes of series whose colour is already used.
const DASHES: [&str; 4] = ["", "6 3", "2 3", "8 3 2 3"];

/// A plot under construction.
pub struct Canvas {
    text: String,
    /// The right end of the data area.
    pub right: f64,
}

impl Canvas {
    /// Creates a canvas with a title, and a legend of these names if there are several.
    pub fn new(labels: &Labels, height: f64, names: &[&str]) -> Self {
        let mut text = String::new();
        let _ = write!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             width=\"{WIDTH}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"100%\" height=\"100%\" rx=\"6\"/>\n",
            title = escaped(&labels.title),
        );
        let mut canvas = Canvas { text, right: WIDTH - RIGHT };
        canvas.text(16.0, 26.0, "title", &labels.title);
        if names.len() > 1 {
            canvas.legend(names);
        }
        canvas
    }

    /// Creates a canvas with both axes, for points.
    pub fn with_axes(labels: &Labels, names: &[&str], x: Axis, y: Axis) -> (Self, Axis, Axis) {
        // High enough for every name of the legend.
        let height = HEIGHT.max(TOP + 20.0 + 20.0 * real(names.len()));
        let mut canvas = Canvas::new(labels, height, names);
        let (x, y) = (x.between(LEFT, canvas.right), canvas.vertical(y, &labels.y));
        for tick in x.ticks() {
            let at = x.place(tick);
            canvas.line(at, BOTTOM, at, BOTTOM + 4.0, "axis");
            canvas.text(at, BOTTOM + 18.0, "middle dim", &x.written(tick));
        }
        let middle = f64::midpoint(LEFT, canvas.right);
        canvas.text(middle, BOTTOM + 40.0, "middle", &labels.x);
        (canvas, x, y)
    }

    /// Creates a canvas with a vertical axis, and a position for each name on the other, for boxes.
    /// The positions are the middles.
    pub fn with_places(labels: &Labels, names: &[&str], y: Axis) -> (Self, Vec<f64>, Axis) {
        let names: Vec<String> = names.iter().map(|name| cut(name)).collect();
        let step = (WIDTH - RIGHT - LEFT) / real(names.len().max(1));
        let longest = names.iter().map(|name| name.width()).max().map_or(0.0, real) * LETTER;
        // Names that are too long are split into two lines; if that is not enough, they are tilted,
        // with more room below.
        let is_tilted = longest > 2.0 * step;
        let room = if is_tilted { longest * TILT.sin() } else { 0.0 };
        let mut canvas = Canvas::new(labels, HEIGHT + room, &[]);
        let y = canvas.vertical(y, &labels.y);
        let mut places = Vec::new();
        for name in &names {
            let at = LEFT + step * (0.5 + real(places.len()));
            if is_tilted {
                canvas.tilted(at + 4.0, BOTTOM + 16.0, name);
            } else {
                let is_lower = longest > step && places.len() % 2 == 1;
                let below = if is_lower { 34.0 } else { 18.0 };
                canvas.text(at, BOTTOM + below, "middle", name);
            }
            places.push(at);
        }
        (canvas, places, y)
    }

    fn vertical(&mut self, y: Axis, label: &str) -> Axis {
        let y = y.between(BOTTOM, TOP);
        self.text(16.0, 48.0, "dim", label);
        for tick in y.ticks() {
            let at = y.place(tick);
            self.line(LEFT, at, self.right, at, "grid");
            self.text(LEFT - 8.0, at + 4.0, "end dim", &y.written(tick));
        }
        self.line(LEFT, BOTTOM, self.right, BOTTOM, "axis");
        y
    }

    fn legend(&mut self, names: &[&str]) {
        let widest = names.iter().map(|name| cut(name).width()).max().unwrap_or(0);
        let left = WIDTH - 24.0 - real(widest) * LETTER;
        self.right = left - 40.0;
        for (at, name) in names.iter().enumerate() {
            let y = TOP + 10.0 + 20.0 * real(at);
            let (class, dash) = (stroke(at), dash(at));
            let _ = writeln!(
                self.text,
                "<path class=\"curve {class}\"{dash} d=\"M{:.1} {:.1}h22\"/>",
                left - 30.0,
                y - 4.0,
            );
            self.text(left, y, "", &cut(name));
        }
    }

    /// Adds a text.
    pub fn text(&mut self, x: f64, y: f64, class: &str, word: &str) {
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ =
            writeln!(self.text, "<text x=\"{x:.1}\" y=\"{y:.1}\"{class}>{}</text>", escaped(word));
    }

    /// Adds a tilted text.
    fn tilted(&mut self, x: f64, y: f64, word: &str) {
        let (angle, word) = (TILT.to_degrees(), escaped(word));
        let _ = writeln!(
            self.text,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"end\" transform=\"rotate(-{angle:.0} {x:.1} {y:.1})\">{word}</text>"
        );
    }

    /// Adds a straight line.
    pub fn line(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, class: &str) {
        let _ =
            writeln!(self.text, "<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>");
    }

    /// Adds a rectangle, with a tooltip.
    pub fn rectangle(&mut self, corner: (f64, f64), size: (f64, f64), class: &str, tip: &str) {
        let ((x, y), (width, height)) = (corner, size);
        let _ = writeln!(
            self.text,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"><title>{}</title></rect>",
            escaped(tip)
        );
    }

    /// Adds a dot, with a tooltip if there is one.
    pub fn dot(&mut self, x: f64, y: f64, radius: f64, class: &str) {
        let _ = writeln!(
            self.text,
            "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"/>"
        );
    }

    /// Adds the curve of a series, with its name as a tooltip.
    pub fn curve(&mut self, series: usize, path: &str, name: &str) {
        let (class, dash) = (stroke(series), dash(series));
        let _ = writeln!(
            self.text,
            "<path class=\"curve {class}\"{dash} d=\"{path}\"><title>{}</title></path>",
            escaped(name)
        );
    }

    /// Returns the whole file.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// The class of a series' lines.
pub fn stroke(series: usize) -> String {
    format!("c{} line", series % COLORS)
}

fn dash(series: usize) -> String {
    match DASHES[series / COLORS % DASHES.len()] {
        "" => String::new(),
        dash => format!(" stroke-dasharray=\"{dash}\""),
    }
}

/// The class of a series' areas, of this kind.
pub fn fill(series: usize, kind: impl Display) -> String {
    format!("c{} {kind}", series % COLORS)
}

/// A name, cut to fit into a plot.
pub fn cut(name: &str) -> String {
    if name.chars().count() <= NAME_MAX {
        return name.to_owned();
    }
    name.chars().take(NAME_MAX - 1).chain(['…']).collect()
}

/// The estimated width of a text.
pub fn width(word: &str) -> f64 {
    real(word.width()) * LETTER
}

#[expect(clippy::cast_precision_loss, reason = "as many as fit on a page")]
pub fn real(count: usize) -> f64 {
    count as f64
}

/// Text, escaped for XML, without characters that XML does not allow.
pub fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                safe.push('\u{fffd}');
            }
            letter => safe.push(letter),
        }
    }
    safe
}
