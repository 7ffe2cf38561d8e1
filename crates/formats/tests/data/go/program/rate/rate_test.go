// One test per run, so that each run has its own profile.
package rate

import "testing"

func TestA(t *testing.T) {
	if Weight(2) != 4 {
		t.Fatal()
	}
}

func TestB(t *testing.T) {
	if Express(2) != 4 {
		t.Fatal()
	}
}
