"""What counts as a function, a lambda or a data member, and how large it is."""

import pytest
from ci.cpp_sizes import measure


def sizes(code, kind):
    return {size.name: size.amount for size in measure(code) if size.kind == kind}


def members(body):
    """Return how many data members a class with this body has."""
    return sizes(f"struct A {{\n{body}\n}};\n", "class")["A"]


# ---------------------------------------------------------------------------- functions

FUNCTIONS = {
    "free": ("int f() {\n return 1;\n}\n", {"f": 3}),
    "on one line": ("int f() { return 1; }", {"f": 1}),
    "only declared": ("int f();\nint g(int a = 3) noexcept;\n", {}),
    "signature over several lines": (
        "static inline\nstd::vector<int>\nf(int a,\n  double b)\n  noexcept {\n}\n",
        {"f": 2},
    ),
    "default arguments with braces": ("void f(P p = {1, 2}, int b = P{3}.x) {\n\n}", {"f": 3}),
    "attribute": ("[[nodiscard]] int f() {\n}", {"f": 2}),
    "template": ("template <class T, int n = (3 > 2)>\nT f(T x) {\n}", {"f": 2}),
    "two templates closed at once": ("std::vector<std::vector<int>> f() {\n}", {"f": 2}),
    "method of a template": ("template <class T>\nvoid A<T>::f() const {\n}", {"A::f": 2}),
    "inline method": (
        "class A {\n public:\n  int f() const override {\n return 1;\n}\n};",
        {"A::f": 3},
    ),
    "method of a nested class": ("struct A {\nstruct B {\nvoid f() {\n}\n};\n};", {"A::B::f": 2}),
    "method of a class in a function": (
        "void f() {\nstruct B {\nvoid g() {\n}\n};\n}",
        {"f": 6, "f::B::g": 2},
    ),
    "method of a class after a macro": ("MACRO(x)\nstruct A { void f() {\n} };", {"A::f": 2}),
    "after a macro": ("MACRO(x)\nvoid f() {\n}", {"f": 2}),
    "macro": ("NB_MODULE(_core, m) {\n\n}", {"NB_MODULE": 3}),
    "initialisers with parentheses": ("A::A(int x)\n  : B(x),\n  c_(1) {\n}", {"A::A": 2}),
    "initialisers with braces": ("A::A(int x) : B<int>{x}, c_{1, {2}} {\n\n}", {"A::A": 3}),
    "initialisers with a pack": ("A(T... x) : T(x)... {\n}", {"A": 2}),
    "destructor": ("A::~A() {\n}", {"A::~A": 2}),
    "operator()": ("struct A { int operator()(int x) {\n} };", {"A::operator()": 2}),
    "other operators": (
        "A& A::operator=(const A&) {\n}\nbool operator<(A a, A b) {\n}\nA::operator bool() {\n}",
        {"A::operator=": 2, "operator<": 2, "A::operator bool": 2},
    ),
    "trailing return type": ("auto f() -> std::pair<int, int> {\n}", {"f": 2}),
    "deduced return type": ("decltype(auto) f() noexcept(true) {\n}", {"f": 2}),
    "returns a class by its keyword": ("struct A f() {\n}", {"f": 2}),
    "in namespaces": ('namespace a::b {\nextern "C" {\nvoid f() {\n}\n}\n}', {"f": 2}),
    "blocks and values in it": ("void f() {\nif (a) {\n}\nP p{1};\nq = {2};\n}", {"f": 6}),
    "comments with braces": ("void f() {  // }\n/* } \n } */\n}  // {", {"f": 4}),
    "strings with braces": ("void f() {\ng(\"}\\\"}\", '}', '\\'');\n}", {"f": 3}),
    "raw string": ('void f() {\ng(R"x(\n}")"\n)x");\n}', {"f": 5}),
    "raw string with a prefix": ('void f() {\ng(u8R"({")");\n}', {"f": 3}),
    "digits in groups": ("void f() {\nint a = 1'000; { a = 0xff'ff; }\n}", {"f": 3}),
    "macro that is not read": ("#define X { \\\n  {\n  # define Y {\nvoid f() {\n}", {"f": 2}),
    "macro with a comment": ("#define X /* {\n { */\nvoid f() {\n}", {"f": 2}),
    "both branches": ("#if A\nvoid f() {\n}\n#else\nvoid g() {\n\n}\n#endif", {"f": 2, "g": 3}),
    "values of variables": ("int a[] = {1,\n2};\nP b{1,\n2};\nP c = g(P{\n});", {}),
    "pointer with a value": ("void (*f)(int){\nnullptr};", {}),
    "enum": ("enum class A : int {\nkOne,\nkTwo\n};", {}),
    "concept": ("template <class T>\nconcept C = requires(T t) {\nt.a;\n};", {}),
}


@pytest.mark.parametrize(("code", "expected"), FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_lines_of_functions(code, expected):
    assert sizes(code, "function") == expected


LAMBDAS = {
    "no parameters": "[&] {\n\n}",
    "parameters": "[this, n](int a, P b = {1}) {\n\n}",
    "specifiers": "[]() mutable noexcept(true) -> std::pair<int, int> {\n\n}",
    "template": "[]<class T>(T x) {\n\n}",
    "captures with values": "[a = P{1}, b = v[0]] {\n\n}",
}


@pytest.mark.parametrize("code", LAMBDAS.values(), ids=LAMBDAS.keys())
@pytest.mark.parametrize(
    "before", ["auto g = ", "return ", "call(1, ", "x(", "[[maybe_unused]] auto g = "]
)
def test_lambdas_count_on_their_own_and_in_their_function(code, before):
    end = ");" if "(" in before else ";"
    found = sizes(f"void A::f() {{\n{before}{code}{end}\n}}", "function")
    assert found == {"A::f": 5, "A::f::lambda": 3}


def test_lambdas_outside_functions():
    code = "const auto f = [](int x) {\n};\nstruct A { std::function<int()> g = [] {\n\n}; };"
    assert sizes(code, "function") == {"lambda": 2, "A::lambda": 3}
    code = "const auto f = [] {\nstruct A { int a, b; };\n};"
    assert sizes(code, "class") == {"lambda::A": 2}


def test_a_class_in_a_lambda_in_a_function_counts_once():
    found = measure("void f() { g([] { struct A { int a; }; }); }")
    assert [size.amount for size in found if size.kind == "class"] == [1]


def test_a_lambda_in_a_lambda():
    code = "void f() {\ng([&] {\nh([&] {\n});\n});\n}"
    assert sizes(code, "function") == {"f": 6, "f::lambda": 4, "f::lambda::lambda": 2}


@pytest.mark.parametrize(
    "code", ["a[3];", "int a[2]{1, 2};", "auto& [a, b] = c;", "p = new int[2]{};"]
)
def test_other_square_brackets_are_no_lambdas(code):
    assert sizes(f"void f() {{\n{code}\n}}", "function") == {"f": 3}


# ------------------------------------------------------------------------------ classes

MEMBERS = {
    "int a;": 1,
    "int a, b, *c;": 3,
    "const double *a[3], *b[kMost];": 2,
    "std::vector<std::pair<int, double>> a, b;": 2,
    "std::map<int, std::vector<int>> a{{1, {2}}}, b = {};": 2,
    "int a{1}; double b = f(1, 2), c = (3); P d = P{1, 2};": 4,
    "bool a = x < y;": 1,
    "double a[2][3] = {};": 1,
    "unsigned a : 3, b : 4 = 1, : 0;": 2,
    "std::function<int(int, double)> a;": 1,
    "std::function<int()> a = [](int b) { int c; return b; };": 1,
    "void (*a)(int b, int c); int (A::*d)() const; int (&e)[3];": 3,
    "void (*table[2])(int) = {f, g};": 1,
    "mutable std::atomic<int> a{0};": 1,
    "[[no_unique_address]] alignas(64) P a;": 1,
    "const decltype(f()) a = f();": 1,
    "std::unique_ptr<int[]> a;": 1,
    "struct B b; enum C c;": 2,
    "public: int a; private: int b;": 2,
    "int a;  // int b;\n/* int c; */": 1,
    "struct B { int b, c; }; int a;": 1,
    "struct { int b, c; } a;": 1,
    "union { int a; double b; };": 2,
    "union alignas(8) { int a; double b; };": 2,
    "enum B { kB } a;": 1,
    # none of these is a data member
    "static constexpr int a = 1, b{2}; inline static int c;": 0,
    "using B = std::pair<int, int>; typedef int C; using D::operator=;": 0,
    "enum class B : int { kB, kC }; enum class C : int;": 0,
    "friend class B; friend bool operator==(A a, A b) { return true; }": 0,
    "struct B; class C; struct D {}; struct [[deprecated]] E; template <class T> struct F;": 0,
    "A(); ~A(); A(const A&) = delete; A& operator=(A&&) = default;": 0,
    "explicit A(int x) : b{x}, c(x) {}": 0,
    "int f(int a, int b), g(); virtual void h() const = 0;": 0,
    "bool operator()(int a) const; explicit operator bool() const;": 0,
    "auto operator<=>(const A&) const = default;": 0,
    "auto f() -> int; decltype(auto) g() noexcept(true);": 0,
    "void (*f(int a))(double);": 0,
    "template <class T, class U = int> void f(T a, U b);": 0,
    "int f() { int a; struct B { int c; }; return a; }": 0,
    "static_assert(sizeof(int) == 4);": 0,
}


@pytest.mark.parametrize(("body", "expected"), MEMBERS.items())
def test_data_members(body, expected):
    assert members(body) == expected


CLASSES = {
    "class A final : public B<int>, C {\nint a;\n};": {"A": 1},
    "template <class T>\nstruct A<T*> { T a, b; };": {"A": 2},
    "struct alignas(64) A { int a; };": {"A": 1},
    "struct [[nodiscard]] A { int a; };": {"A": 1},
    "struct A::B { int a; };": {"A::B": 1},
    "struct A { struct B { int a; }; B b, c; };": {"A": 2, "A::B": 1},
    "struct A { int a; } b;": {"A": 1},
    "void f() { struct B { int a, b; }; B b{1, 2}; }": {"f::B": 2},
    "enum class A : int { kA }; union B { int a; };": {"B": 1},
    "class A; template <class T> void f(struct B* b) { class C* c; }": {},
}


@pytest.mark.parametrize(("code", "expected"), CLASSES.items())
def test_classes(code, expected):
    assert sizes(code, "class") == expected
