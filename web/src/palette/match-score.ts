/** How well a name fits what was typed: 0 where its letters are not in it in this order; more for neighbours and for beginnings of words. */
export function matchScore(typed: string, name: string): number {
  const wanted = [...typed.toLocaleLowerCase().replace(/\s+/g, '')];
  const letters = [...name.toLocaleLowerCase()];
  let score = 1;
  let from = 0;
  let last = -2;
  for (const letter of wanted) {
    const found = letters.indexOf(letter, from);
    if (found === -1) return 0;
    const isStart = found === 0 || /[\s\p{P}]/u.test(letters[found - 1] ?? '');
    score += 1 + (found === last + 1 ? 3 : 0) + (isStart ? 2 : 0) - Math.min(found, 50) / 100;
    last = found;
    from = found + 1;
  }
  return score;
}
