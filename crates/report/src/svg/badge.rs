//! A badge for a README.

use super::canvas::{escaped, width};

/// Returns a badge of two texts: the measure and its value.
pub fn badge(what: &str, how_much: &str) -> String {
    let (left, right) = (width(what) + 14.0, width(how_much) + 14.0);
    let (all, middle) = (left + right, left + right / 2.0);
    let (what, how_much) = (escaped(what), escaped(how_much));
    // White is readable on these two colours, so a badge is the same in light and in dark mode.
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all:.0}\" height=\"20\" role=\"img\" \
         aria-label=\"{what}: {how_much}\">\n<title>{what}: {how_much}</title>\n\
         <clipPath id=\"r\"><rect width=\"{all:.0}\" height=\"20\" rx=\"4\"/></clipPath>\n\
         <g clip-path=\"url(#r)\"><rect width=\"{all:.0}\" height=\"20\" fill=\"#444c56\"/>\
         <rect x=\"{left:.0}\" width=\"{right:.0}\" height=\"20\" fill=\"#0067a5\"/></g>\n\
         <g fill=\"#fff\" text-anchor=\"middle\" \
         font-family=\"Verdana,DejaVu Sans,system-ui,sans-serif\" font-size=\"11\">\
         <text x=\"{:.1}\" y=\"14\">{what}</text><text x=\"{middle:.1}\" y=\"14\">{how_much}</text></g>\n\
         </svg>\n",
        left / 2.0
    )
}
