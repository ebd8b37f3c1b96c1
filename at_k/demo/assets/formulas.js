// The formulas of one problem with their numbers, as MathML. Every number is counted exactly.

const TERMS = 4; // longer sums are shortened in the middle

const PASCAL = [[1n]];

/** Return the number of ways to choose k of n. */
function choose(n, k) {
    if (k < 0 || k > n) return 0n;
    while (PASCAL.length <= n) {
        const above = PASCAL[PASCAL.length - 1];
        PASCAL.push([1n, ...above.slice(1).map((each, i) => each + above[i]), 1n]);
    }
    return PASCAL[n][k];
}

/** Return a ratio of whole numbers as the nearest float, or nearly. */
function divide(top, bottom) {
    if (top === 0n) return 0;
    const shift = Math.max(0, bottom.toString(2).length - top.toString(2).length + 64);
    return Number((top << BigInt(shift)) / bottom) / 2 ** shift;
}

const escape = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const mn = text => `<mn>${text}</mn>`;
const mi = text => `<mi>${text}</mi>`;
const mo = text => `<mo>${text}</mo>`;
const row = (...parts) => `<mrow>${parts.join("")}</mrow>`;
const words = text => `<mtext>${escape(text)}</mtext>`;
const fraction = (top, bottom) => `<mfrac>${row(top)}${row(bottom)}</mfrac>`;
const binomial = (n, k) => row(mo("("), `<mfrac linethickness="0">${n}${k}</mfrac>`, mo(")"));

function scientific(text) {
    const [mantissa, exponent] = text.split("e");
    return row(mn(mantissa), mo("·"), `<msup>${mn("10")}${exponent < 0 ? row(mo("−"), mn(-exponent)) : mn(Number(exponent))}</msup>`);
}

const writeCount = count => (count < 10n ** 7n ? mn(count) : scientific(Number(count).toExponential(3)));

/** Write four decimals; near 0 and 1, four digits and a power of ten. */
function writeDigits(top, bottom) {
    if (top === 0n || top === bottom) return mn(top === 0n ? 0 : 1);
    const value = divide(top, bottom);
    if (value < 0.001) return scientific(value.toExponential(3));
    if (value >= 0.99995) return row(mn(1), mo("−"), scientific(divide(bottom - top, bottom).toExponential(3)));
    return mn(value.toFixed(4));
}

function writeSum(terms) {
    if (terms.length === 0) return mn(0);
    const some = terms.length <= TERMS ? terms : [terms[0], terms[1], mo("…"), terms[terms.length - 1]];
    return some.join(mo("+"));
}

/** Write every metric that depends on n and c alone: formula, numbers, value. */
export function writeFormulas(n, c, k, taus) {
    const total = choose(n, k);
    const ways = Array.from({ length: k + 1 }, (_, j) => choose(c, j) * choose(n - c, k - j));
    const least = new Array(k + 2).fill(0n); // the number of draws with at least m right answers
    for (let m = k; m >= 0; m--) least[m] = least[m + 1] + ways[m];
    const draws = binomial(mn(n), mn(k));
    const from = (first, term) => writeSum(Array.from({ length: k - first + 1 }, (_, i) => term(first + i)));
    const lines = [
        [words(`avg@${n}`), fraction(mi("c"), mi("n")), fraction(mn(c), mn(n)), writeDigits(BigInt(c), BigInt(n))],
        [
            words(`pass@${k}`), row(mn(1), mo("−"), fraction(binomial(mn(n - c), mn(k)), draws)),
            row(mn(1), mo("−"), fraction(writeCount(ways[0]), writeCount(total))), writeDigits(least[1], total),
        ],
    ];
    for (const tau of taus) {
        const needed = Math.max(1, Math.ceil(tau * k));
        const each = fraction(
            row(binomial(mn(c), mi("j")), binomial(mn(n - c), row(mn(k), mo("−"), mi("j")))), draws,
        );
        lines.push([
            `<msub>${words(`G-Pass@${k}`)}${mn(tau)}</msub>`,
            row(`<munderover><mo largeop="true" movablelimits="false">∑</mo>${row(mi("j"), mo("="), mn(needed))}${mn(k)}</munderover>`, each),
            fraction(from(needed, j => writeCount(ways[j])), writeCount(total)), writeDigits(least[needed], total),
        ]);
    }
    const first = Math.ceil(k / 2) + 1;
    let sum = 0n;
    for (let i = first; i <= k; i++) sum += least[i];
    const share = fraction(mn(2), mn(k));
    lines.push([
        words(`mG-Pass@${k}`),
        row(share, `<munderover><mo largeop="true" movablelimits="false">∑</mo>${row(mi("i"), mo("="), mn(first))}${mn(k)}</munderover>`, `<msub>${words(`G-Pass@${k}`)}${row(mi("i"), mo("/"), mn(k))}</msub>`),
        row(share, mo("("), from(first, i => writeDigits(least[i], total)), mo(")")), writeDigits(2n * sum, BigInt(k) * total),
    ]);
    lines.push([
        words(`pass^${k}`), fraction(binomial(mn(c), mn(k)), draws), fraction(writeCount(ways[k]), writeCount(total)), writeDigits(ways[k], total),
    ]);
    return lines.map(([name, formula, filled, value]) =>
        `<math display="block">${row(name, mo("="), formula, mo("="), filled, mo("="), `<mrow class="value">${value}</mrow>`)}</math>`).join("");
}
