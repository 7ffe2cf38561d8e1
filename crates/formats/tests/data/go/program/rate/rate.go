// Package rate holds the price rules.
package rate

// Weight prices a weight.
func Weight(weight int) int {
	if weight > 10 {
		return 20
	}
	price := 0
	for ; weight > 0; weight-- {
		price += 2
	}
	return price
}

// Express doubles a price.
func Express(price int) int { return price * 2 }
