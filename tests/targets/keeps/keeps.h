// The library's part.
void in_library(void);
