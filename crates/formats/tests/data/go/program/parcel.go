// Package parcel prices parcels given as words such as "3kg" or "express".
package parcel

import (
	"strconv"
	"strings"

	"fixture/parcel/rate"
)

// Total adds up the prices of the words.
func Total(words []string) (total int, skipped []string) {
	for _, word := range words {
		switch {
		case strings.HasSuffix(word, "kg"):
			weight, _ := strconv.Atoi(strings.TrimSuffix(word, "kg"))
			total += rate.Weight(weight)
		case word == "express" && total > 0:
			total = rate.Express(total)
		default:
			number, err := strconv.Atoi(word)
			if err != nil {
				skipped = append(skipped, word)
				continue
			}
			total += number
		}
	}
	return total, skipped
}

func neverCalled(weight int) int {
	return -weight
}
