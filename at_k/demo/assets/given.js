// What a visitor gave on the page Score: kept in this tab of the browser, and over a reload if it is small enough.

const KEPT = "at-k-score";

let last; // null where an example is shown

/** Keep a text or a file and its name; `null` forgets them. */
export function keepGiven(given) {
    last = given;
    try {
        if (given) sessionStorage.setItem(KEPT, JSON.stringify(given));
        else sessionStorage.removeItem(KEPT);
    } catch { /* it is too large to be kept, or storage is closed */ }
}

/** Return what was given, or null. */
export function getGiven() {
    try {
        return last === undefined ? JSON.parse(sessionStorage.getItem(KEPT)) : last;
    } catch {
        return null;
    }
}
