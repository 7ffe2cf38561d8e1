; formula circle
(set-logic QF_NRA)
(set-info :status sat)
(declare-const x Real)
(declare-const y Real)
(assert (= (+ (* x x) (* y y)) 25.0))
(assert (> x 2.0))
(assert (< y 0.0))
(check-sat)
(reset)

; formula hyperbola
(set-logic QF_NRA)
(set-info :status sat)
(declare-const a Real)
(declare-const b Real)
(assert (> (* a b) 6.0))
(assert (< (+ a b) 6.0))
(check-sat)
(reset)

; formula cubic
(set-logic QF_NRA)
(set-info :status sat)
(declare-const t Real)
(assert (and (< 1.0 t) (< t 2.0)))
(assert (> (* t t t) 3.0))
(check-sat)
(reset)

; formula square
(set-logic QF_NIA)
(set-info :status sat)
(declare-const m Int)
(declare-const n Int)
(assert (= (* m m) (+ (* n n) 15)))
(assert (and (> m 0) (> n 0) (< m 20)))
(check-sat)
(reset)

; formula negative-square
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const x Real)
(declare-const y Real)
(assert (< (+ (* x x) (* y y)) (- x x)))
(check-sat)
(reset)

; formula small-product
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const a Real)
(declare-const b Real)
(assert (and (< 0.0 a) (< a 1.0) (< 0.0 b) (< b 1.0)))
(assert (> (* a b) a))
(check-sat)
(reset)

; formula no-root
(set-logic QF_NRA)
(set-info :status unsat)
(declare-const z Real)
(assert (= (+ (* z z) z 1.0) 0.0))
(check-sat)
(reset)

; formula factors
(set-logic QF_NIA)
(set-info :status unsat)
(declare-const p Int)
(declare-const q Int)
(assert (and (< 1 p) (< p 7) (< 1 q) (< q 7)))
(assert (= (* p q) 7))
(check-sat)
(reset)
