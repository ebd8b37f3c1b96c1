// Metrics of one problem with n samples, c of them correct, from the counts alone: n ≤ 256, exact to some 14 digits.
// Held equal to the library by tests/demo/browser/test_figures.py.

/** Return the chance that j of k drawn samples are correct, for j = 0…k: the hypergeometric distribution. */
export function chances(n, c, k) {
    const found = new Float64Array(k + 1);
    const low = Math.max(0, k - (n - c));
    const high = Math.min(k, c);
    const mode = Math.min(high, Math.max(low, Math.floor(((k + 1) * (c + 1)) / (n + 2))));
    // From the largest term outwards, each by its ratio to the one before; divided by their sum, they are chances.
    found[mode] = 1;
    for (let j = mode; j < high; j++) found[j + 1] = (found[j] * (c - j) * (k - j)) / ((j + 1) * (n - c - k + j + 1));
    for (let j = mode; j > low; j--) found[j - 1] = (found[j] * j * (n - c - k + j)) / ((c - j + 1) * (k - j + 1));
    let sum = 0;
    for (let j = low; j <= high; j++) sum += found[j];
    for (let j = low; j <= high; j++) found[j] /= sum;
    return found;
}

/** Return how many of k draws must be correct at a threshold: max(1, ⌈τk⌉), τ being the decimal that was written. */
export function drawsNeeded(tau, k) {
    const [, decimals = ""] = String(tau).split(".");
    const scale = 10 ** decimals.length;
    return Math.max(1, Math.ceil((Math.round(tau * scale) * k) / scale));
}

const BELOW_ONE = 1 - Number.EPSILON / 2;

/** Return the chance that at least m of k draws are correct: 1 only if it is certain, 0 only if it is impossible. */
export function atLeast(m, n, c, k) {
    if (m <= Math.max(0, k - (n - c))) return 1;
    if (m > Math.min(k, c)) return 0;
    const each = chances(n, c, k);
    let sum = 0;
    for (let j = k; j >= m; j--) sum += each[j];
    return Math.min(BELOW_ONE, sum);
}

export const pass = (n, c, k) => atLeast(1, n, c, k);
export const passHat = (n, c, k) => atLeast(k, n, c, k);
export const gPass = (n, c, k, tau) => atLeast(drawsNeeded(tau, k), n, c, k);
export const avg = (n, c) => c / n;

/** Return the mean of G-Pass@k over τ from ½ to 1, as it was published: 2/k times the sum for ⌈k/2⌉ < i ≤ k. */
export function mgPass(n, c, k) {
    const each = chances(n, c, k);
    let tail = 0;
    let sum = 0;
    for (let j = k; j > Math.ceil(k / 2); j--) {
        tail += each[j];
        sum += tail;
    }
    return Math.min(1, (2 * sum) / k);
}

/** Return the values of a metric at each k: `draw(k => pass(n, c, k), [1, 2, 4])`. */
export function draw(metric, every) {
    return Float64Array.from(every, metric);
}

/** Return the smallest step of k at which τk is a whole number, so that ⌈τk⌉ rises evenly: 2 for 0.5, 4 for 0.75. */
export function smoothStep(tau) {
    for (let step = 1; step <= 100; step++) if (Math.abs(tau * step - Math.round(tau * step)) < 1e-9) return step;
    return 1;
}
