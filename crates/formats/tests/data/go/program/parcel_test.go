// One test per run, so that each run has its own profile.
package parcel

import "testing"

func TestA(t *testing.T) {
	if total, _ := Total([]string{"3kg", "express", "x"}); total != 12 {
		t.Fatal(total)
	}
}

func TestB(t *testing.T) {
	if total, _ := Total([]string{"11kg", "7"}); total != 27 {
		t.Fatal(total)
	}
}
