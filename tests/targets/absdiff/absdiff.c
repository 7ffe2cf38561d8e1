int calculate_difference(int x, int y) {
    if (x > y) {
        return x - y;
    } else {
        return y - x + 1; // y - x;
    }
}
