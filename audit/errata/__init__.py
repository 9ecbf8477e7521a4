"""What of a paper does not hold as printed, written as a letter that its authors can check."""
