int opened(int a);
template <typename T> int gate(T a, T b) {
    if (a > 0 && b > 0)
        return opened(static_cast<int>(a));
    return -1;
}
int opened(int a) {
    return a;
}
int both(int a, double b) { return gate<int>(a, a) + (b > 9 ? gate<double>(b, b) : 0); }
