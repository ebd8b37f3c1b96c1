// The numbers of the play pages, computed where they are played with. A test compares each of them with the library's.

const sum = (values) => values.reduce((total, each) => total + each, 0);

/** Return C(n, k), and 0 outside of it. */
export function choose(n, k) {
  const least = Math.min(k, n - k);
  let found = least < 0 ? 0 : 1;
  for (let i = 1; i <= least; i += 1) found = (found * (n - least + i)) / i;
  return found;
}

/** Return the chance that at least `needed` of k samples are correct, drawn from n with c correct ones. */
export function atLeast(n, c, k, needed) {
  const [low, high] = [Math.max(0, k - n + c), Math.min(k, c)];
  if (needed <= low) return 1;
  if (needed > high) return 0;
  const mode = Math.min(high, Math.max(low, Math.floor(((k + 1) * (c + 1)) / (n + 2))));
  const ratio = (j) => ((c - j) * (k - j)) / ((j + 1) * (n - c - k + j + 1)); // chance of j + 1 over that of j
  const weights = new Map([[mode, 1]]); // the most likely number is 1, so that nothing under- or overflows
  for (let j = mode; j < high; j += 1) weights.set(j + 1, weights.get(j) * ratio(j));
  for (let j = mode; j > low; j -= 1) weights.set(j - 1, weights.get(j) / ratio(j - 1));
  const kept = sum([...weights].filter(([j]) => j >= needed).map(([, weight]) => weight));
  return kept / sum([...weights.values()]);
}

/** Return the chance that the vote of k samples is right: `votes` are [answer, count, right]; ties are shared. */
export function vote({ n, votes }, k) {
  const named = votes.filter(([answer]) => answer !== null); // a sample without an answer uses up its draw
  let found = 0;
  for (let top = 1; top <= Math.min(k, Math.max(0, ...named.map(([, count]) => count))); top += 1) {
    const able = named.filter(([, count]) => count >= top);
    const rest = n - sum(able.map(([, count]) => count)); // none of these can have as many votes
    for (const own of able.filter(([, , right]) => right)) {
      let ways = [[1]]; // [answers that tie with this one][samples drawn of the others]
      for (const [, count] of able.filter((each) => each !== own)) {
        const next = [];
        ways.forEach((row, tied) => row.forEach((way, drawn) => {
          for (let i = 0; i <= Math.min(top, k - top - drawn); i += 1) {
            const now = (next[tied + (i === top)] ??= []);
            now[drawn + i] = (now[drawn + i] ?? 0) + way * choose(count, i);
          }
        }));
        ways = next;
      }
      ways.forEach((row, tied) => row.forEach((way, drawn) => {
        found += (choose(own[1], top) * way * choose(rest, k - top - drawn)) / (tied + 1);
      }));
    }
  }
  return settle(found / choose(n, k));
}

/** Return the chance that the best-scored of k samples is right: `scores` are [score, right]; ties are shared. */
export function best({ scores }, k) {
  let found = 0;
  for (const value of new Set(scores.map(([score]) => score))) {
    const tied = scores.filter(([score]) => score === value);
    const below = scores.filter(([score]) => score < value).length;
    const wins = choose(below + tied.length, k) - choose(below, k);
    found += (wins * sum(tied.map(([, right]) => right))) / tied.length;
  }
  return settle(found / choose(scores.length, k));
}

const settle = (value) => (value > 1 - 1e-13 ? 1 : value); // a sum of chances that is certain may end below 1

/** Return the mean of the problems' values with its 95 % interval, that of `at_k.interval`. */
export function average(values) {
  const m = values.length;
  const mean = sum(values) / m;
  const spread = m > 1 ? sum(values.map((each) => (each - mean) ** 2)) / (m - 1) / m : 0;
  return { value: mean, low: findLower(mean, spread, m), high: Math.max(mean, 1 - findLower(1 - mean, spread, m)) };
}

function findLower(v, variance, m) {
  if (v <= 0) return 0;
  const centre = (m * v + 0.25) / (m + 1);
  const q = m * m * variance + m * (v - centre) ** 2 + 0.75 * centre ** 2 + 0.25 * (1 - centre) ** 2;
  const total = Math.max((centre * (1 - centre) * (m + 1) * (m + 2)) / q - 1, 1e-6);
  let [low, high] = [0, 1];
  for (let i = 0; i < 60; i += 1) {
    const middle = (low + high) / 2;
    if (betainc(centre * total, (1 - centre) * total, middle) < 0.025) low = middle;
    else high = middle;
  }
  return Math.min(v, low);
}

/** The regularised incomplete beta function, by its continued fraction (Numerical Recipes, 6.4). */
function betainc(a, b, x) {
  if (x > (a + 1) / (a + b + 2)) return 1 - betainc(b, a, 1 - x);
  const front = Math.exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let [c, d, found] = [1, 1 / (1 - ((a + b) * x) / (a + 1)), 0];
  found = d;
  for (let i = 1; i < 500; i += 1) {
    const even = (i * (b - i) * x) / ((a + 2 * i - 1) * (a + 2 * i));
    const odd = (-(a + i) * (a + b + i) * x) / ((a + 2 * i) * (a + 2 * i + 1));
    for (const step of [even, odd]) {
      d = 1 / (1 + step * d);
      c = 1 + step / c;
      found *= c * d;
    }
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return front * found;
}

const LANCZOS = [676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];

function lgamma(x) {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lgamma(1 - x);
  const t = x + 6.5;
  const series = LANCZOS.reduce((total, each, i) => total + each / (x + i), 0.99999999999980993);
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

/** Write a share in whole per cent, as the library does: 0 % and 100 % of what is certain only. */
export function percent(share) {
  const whole = Math.floor(100 * share + 0.5);
  if (share < 1 && whole === 100) return ">\u00a099\u00a0%";
  return share > 0 && whole === 0 ? "<\u00a01\u00a0%" : `${whole}\u00a0%`;
}

const FRACTIONS = { 0.25: "¼", 0.5: "½", 0.75: "¾" };

/** The share τ that demands `needed` of k: a decimal that is never above needed/k. */
export const share = (k, needed) => Math.floor((10000 * needed) / k) / 10000;

/** List how many of k can be demanded in a row each: all, …, one; of many k the quarters, and the one that is chosen. */
function listDemands(k, chosen) {
  const all = k <= 6 ? Array.from({ length: k }, (_, i) => k - i) : [1, 0.75, 0.5, 0.25].map((part) => Math.ceil(part * k));
  return [...new Set([...all, 1, chosen])].sort((a, b) => b - a);
}

function nameDemand(k, needed) {
  if (k === 1) return "pass@1 = avg@n";
  if (needed === 1) return `pass@${k}`;
  return needed === k ? `pass^${k} = G-Pass@${k}, τ = 1` : `G-Pass@${k}, τ = ${FRACTIONS[needed / k] ?? share(k, needed)}`;
}

const one = { say: "one", name: "avg@n = pass@1", at: ({ n, c }) => c / n };
const any = ({ k }) => ({ say: "any", name: `pass@${k}`, at: ({ n, c }) => atLeast(n, c, k, 1) });

/** The numbers of a metric: what is said of each, its name, and its value for a problem. The first one is played with. */
const ROWS = {
  gpassk: ({ k, needed }) => listDemands(k, needed).map((each) => ({
    say: k === 1 ? "one" : each === k ? "all" : each === 1 ? "any" : "least", needed: each, chosen: each === needed,
    name: nameDemand(k, each), at: ({ n, c }) => atLeast(n, c, k, each) })),
  pass_at_k: (now) => [any(now), one],
  cons_at_k: ({ k }) => [{ say: "vote", name: `cons@${k}`, at: (problem) => vote(problem, k) }, any({ k }), one],
  best_at_k: ({ k }) => [{ say: "best", name: `best@${k}`, at: (problem) => best(problem, k) }, any({ k }), one],
  avg_at_n: ({ cut }) => [
    { say: "hard", name: "avg@n", at: ({ grades }) => sum(grades.map((each) => each > cut)) / grades.length },
    { say: "soft", name: "accuracy", at: ({ grades }) => sum(grades) / grades.length }],
};

/** Describe problems by a metric: its rows with values and intervals, and the words that say the chosen one. */
export function describe(metric, problems, { k, needed, cut }, words) {
  const rows = ROWS[metric]({ k, needed, cut }).map((row) => {
    const found = average(problems.map(row.at));
    const blanks = { k, needed: row.needed, cut, value: percent(found.value) };
    const ends = `[${(100 * found.low).toFixed(1)}, ${(100 * found.high).toFixed(1)}]`;
    return { ...row, ...found, ends, label: fill(words[row.say], blanks), text: blanks.value };
  });
  const chosen = rows.find((row) => row.chosen) ?? rows[0];
  chosen.chosen = true;
  const mean = metric === "avg_at_n" ? rows[1].value : average(problems.map(one.at)).value;
  const title = fill(words[`title_${chosen.say}`], { average: percent(mean), k, needed, cut, value: chosen.text });
  return { rows, chosen, mean, title };
}

/** Fill the blanks of a sentence. */
export const fill = (text, values) => text.replace(/\{(\w+)\}/g, (blank, name) => values[name] ?? blank);

/** Return the problems of an example: as they are listed, or one for each that its counts name. */
export const expand = ({ problems, n, right }) => problems ?? Object.entries(right)
  .flatMap(([c, many]) => Array.from({ length: many }, () => ({ n, c: Number(c) })))
  .map((problem, i) => ({ name: `${i + 1}`, ...problem }));

/** Write a row: the value as a bar with its interval, the average as a mark, and the words. */
export function writeRow({ value, low, high, text, ends, label, name, chosen }, mean) {
  const rect = (x, width, y, height, colour, fallback) => `<rect x="${100 * x}" width="${100 * width}" y="${y}" height="${height}" fill="var(--${colour},${fallback})"/>`;
  const bar = rect(0, 1, 0, 10, "no", "#d0d6dd") + rect(0, value, 0, 10, "right", "#0f62c4") + rect(low, high - low, 4.4, 1.2, "ink", "#14171a") + rect(mean - 0.0015, 0.003, 0, 10, "average", "#b3460b");
  return `<div class="stair${chosen ? " key" : ""}"><svg viewBox="0 0 100 10" preserveAspectRatio="none" width="100%" height="26" role="img" aria-label="${label}: ${text} ${ends}">${bar}</svg><div><b>${text}</b><small>${ends}</small><p>${label} · ${name.replace(/( = )?G-Pass@\d+, (τ = 1$)?/, '<span class="wide">$&</span>')}</p></div></div>`;
}

/** Write the figure of a metric for the page of Gradio, in the language of the browser. */
export function writeFigure(metric, answers, now) {
  const { words, start, examples: [example] } = answers[navigator.language.startsWith("zh") ? "zh" : "en"];
  const asked = { ...start, ...now };
  const found = describe(metric, expand(example), { ...asked, needed: Math.min(asked.k, asked.needed) }, words);
  return `<h2>${found.title}</h2><p>${example.name}</p>${found.rows.map((row) => writeRow(row, found.mean)).join("")}`;
}
