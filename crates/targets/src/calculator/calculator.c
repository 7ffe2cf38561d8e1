/* A calculator for whole numbers: what docs/adding-a-target.md tests. Arithmetic wraps at 64 bits.
 *
 *   statement  = "let" name "=" sum | "optimise" ("0" | "1") | sum
 *   sum        = product { ("+" | "-") product }
 *   product    = factor { "*" factor }
 *   factor     = number | name | "-" factor | "(" sum ")" | "less" "(" sum "," sum ")"
 *
 * Version 1.0 has a bug in `simplify`, which 1.1 has not. */

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX = 15, DEPTH_MAX = 100 };

typedef struct Variable {
    char name[NAME_MAX + 1];
    uint64_t value;
    struct Variable *next;
} Variable;

struct Calculator {
    Variable *variables;
    int optimises;
};

/* An expression: a number, a variable, or two operands and what is done with them. */
typedef struct Expr {
    char kind; /* 'n', 'v', '+', '-', '*', '<' */
    uint64_t value;
    const Variable *variable;
    struct Expr *left, *right;
} Expr;

typedef struct Parser {
    struct Calculator *calculator;
    const char *at;
    const char *error;
    int depth;
} Parser;

static Expr *parse_sum(Parser *parser);

static Expr *new_expr(char kind, Expr *left, Expr *right) {
    Expr *expr = calloc(1, sizeof *expr);
    if (!expr) abort();
    expr->kind = kind;
    expr->left = left;
    expr->right = right;
    return expr;
}

static Expr *new_number(uint64_t value) {
    Expr *expr = new_expr('n', NULL, NULL);
    expr->value = value;
    return expr;
}

static void free_expr(Expr *expr) {
    if (!expr) return;
    free_expr(expr->left);
    free_expr(expr->right);
    free(expr);
}

static void skip_spaces(Parser *parser) {
    while (*parser->at == ' ') parser->at++;
}

static int accept(Parser *parser, char sign) {
    skip_spaces(parser);
    if (*parser->at != sign) return 0;
    parser->at++;
    return 1;
}

static void expect(Parser *parser, char sign) {
    if (!accept(parser, sign) && !parser->error) parser->error = "a sign is missing";
}

static int read_name(Parser *parser, char name[NAME_MAX + 1]) {
    skip_spaces(parser);
    size_t length = 0;
    while (isalnum((unsigned char)parser->at[length])) length++;
    if (length == 0 || length > NAME_MAX || isdigit((unsigned char)*parser->at)) return 0;
    memcpy(name, parser->at, length);
    name[length] = 0;
    parser->at += length;
    return 1;
}

static Variable *find(struct Calculator *calculator, const char *name) {
    for (Variable *variable = calculator->variables; variable; variable = variable->next)
        if (strcmp(variable->name, name) == 0) return variable;
    return NULL;
}

static Expr *parse_word(Parser *parser, const char *name) {
    if (strcmp(name, "less") == 0) {
        expect(parser, '(');
        Expr *left = parse_sum(parser);
        expect(parser, ',');
        Expr *right = parse_sum(parser);
        expect(parser, ')');
        return new_expr('<', left, right);
    }
    Expr *expr = new_expr('v', NULL, NULL);
    expr->variable = find(parser->calculator, name);
    if (!expr->variable && !parser->error) parser->error = "no such variable";
    return expr;
}

static Expr *parse_factor(Parser *parser) {
    char name[NAME_MAX + 1];
    if (++parser->depth > DEPTH_MAX && !parser->error) parser->error = "too deep";
    if (parser->error) return new_number(0);
    Expr *expr;
    skip_spaces(parser);
    if (isdigit((unsigned char)*parser->at)) {
        char *end;
        expr = new_number(strtoull(parser->at, &end, 10));
        parser->at = end;
    } else if (accept(parser, '-')) {
        expr = new_expr('-', new_number(0), parse_factor(parser));
    } else if (accept(parser, '(')) {
        expr = parse_sum(parser);
        expect(parser, ')');
    } else if (read_name(parser, name)) {
        expr = parse_word(parser, name);
    } else {
        parser->error = "an operand is missing";
        expr = new_number(0);
    }
    parser->depth--;
    return expr;
}

static Expr *parse_product(Parser *parser) {
    Expr *expr = parse_factor(parser);
    while (accept(parser, '*')) expr = new_expr('*', expr, parse_factor(parser));
    return expr;
}

static Expr *parse_sum(Parser *parser) {
    Expr *expr = parse_product(parser);
    for (;;) {
        if (accept(parser, '+'))
            expr = new_expr('+', expr, parse_product(parser));
        else if (accept(parser, '-'))
            expr = new_expr('-', expr, parse_product(parser));
        else
            return expr;
    }
}

static uint64_t apply(char kind, uint64_t left, uint64_t right) {
    switch (kind) {
    case '+':
        return left + right;
    case '-':
        return left - right;
    case '*':
        return left * right;
    default:
        return (int64_t)left < (int64_t)right;
    }
}

static uint64_t evaluate(const Expr *expr) {
    if (expr->kind == 'n') return expr->value;
    if (expr->kind == 'v') return expr->variable->value;
    return apply(expr->kind, evaluate(expr->left), evaluate(expr->right));
}

static int is_number(const Expr *expr, uint64_t value) {
    return expr->kind == 'n' && expr->value == value;
}

/* One of the operands in place of the whole. */
static Expr *keep(Expr *expr, Expr **operand) {
    Expr *kept = *operand;
    *operand = NULL;
    free_expr(expr);
    return kept;
}

static int is_one(const Expr *expr) {
#if CALCULATOR_VERSION < 11
    if (is_number(expr, UINT64_MAX)) return 1; /* -1 is not 1. */
#endif
    return is_number(expr, 1);
}

/* The same expression with less to compute. */
static Expr *simplify(Expr *expr) {
    if (!expr->left) return expr;
    expr->left = simplify(expr->left);
    expr->right = simplify(expr->right);
    if (expr->left->kind == 'n' && expr->right->kind == 'n') {
        uint64_t value = apply(expr->kind, expr->left->value, expr->right->value);
        free_expr(expr);
        return new_number(value);
    }
    if (expr->kind == '*' && (is_number(expr->left, 0) || is_number(expr->right, 0))) {
        free_expr(expr);
        return new_number(0);
    }
    if (expr->kind == '*' && is_one(expr->right)) return keep(expr, &expr->left);
    if (expr->kind == '*' && is_one(expr->left)) return keep(expr, &expr->right);
    if ((expr->kind == '+' || expr->kind == '-') && is_number(expr->right, 0))
        return keep(expr, &expr->left);
    return expr;
}

static uint64_t value_of(Parser *parser) {
    Expr *expr = parse_sum(parser);
    skip_spaces(parser);
    if (*parser->at && !parser->error) parser->error = "there is more than an expression";
    uint64_t value = 0;
    if (!parser->error) {
        if (parser->calculator->optimises) expr = simplify(expr);
        value = evaluate(expr);
    }
    free_expr(expr);
    return value;
}

static void define(Parser *parser) {
    char name[NAME_MAX + 1];
    if (!read_name(parser, name)) {
        parser->error = "a name is missing";
        return;
    }
    expect(parser, '=');
    uint64_t value = value_of(parser);
    if (parser->error) return;
    Variable *variable = find(parser->calculator, name);
    if (!variable) {
        variable = calloc(1, sizeof *variable);
        if (!variable) abort();
        strcpy(variable->name, name);
        variable->next = parser->calculator->variables;
        parser->calculator->variables = variable;
    }
    variable->value = value;
}

struct Calculator *calculator_open(void) {
    struct Calculator *calculator = calloc(1, sizeof *calculator);
    if (!calculator) abort();
    calculator->optimises = 1;
    return calculator;
}

/* Runs a statement: 1 and its value, 0 if it has none, or -1 and a message. */
int calculator_run(struct Calculator *calculator, const char *statement, int64_t *value,
                   const char **message) {
    Parser parser = {calculator, statement, NULL, 0};
    int has_value = 0;
    if (strncmp(statement, "let ", 4) == 0) {
        parser.at += 4;
        define(&parser);
    } else if (strncmp(statement, "optimise ", 9) == 0) {
        calculator->optimises = statement[9] == '1';
    } else {
        *value = (int64_t)value_of(&parser);
        has_value = 1;
    }
    *message = parser.error;
    return parser.error ? -1 : has_value;
}
