// Prices parcels given as words such as "3kg" or "express" on the command line.
'use strict';

function weightPrice(weight) {
  if (weight > 10) return 20;
  let price = 0;
  while (weight > 0) {
    price += 2;
    weight--;
  }
  return price;
}

const express = (price, factor = 2) => price * factor;

function neverCalled(weight) {
  return -weight;
}

function total(words) {
  let sum = 0;
  for (const word of words) {
    switch (true) {
      case word.endsWith('kg'):
        sum += weightPrice(parseInt(word, 10));
        break;
      case word === 'express' && sum > 0:
        sum = express(sum);
        break;
      default:
        sum += Number.isNaN(Number(word)) ? 0 : Number(word);
    }
  }
  return sum;
}

console.log(total(process.argv.slice(2)) || 'nothing');
