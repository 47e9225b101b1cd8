/** Words that hold sentences together, in the languages that collections are described in most; without diacritics. */
const functionWords = new Set(
  [
    'a an and are as at be but by for from has have his her in into is it its of on or over that the their this to under',
    'was were which who with',
    'als am auf aus bei das dem den der des die ein eine einem einen einer eines fur im in ist mit nach oder seine sind und',
    'vom von vor zu zum zur',
    'au aux avec ce ces cette dans de des du elle en est et il la le les leur ou par pour qui sa ses son sur un une',
    'al con da dal del dei della delle di e el gli i il las lo los nel nella o para per por sobre su sul un una uno y',
    'aan bij door een en het met naar om op te uit van voor zijn',
    'ad cum et ex in pro sub',
  ].flatMap((line) => line.split(' ')),
);

/** A query's words without those that say nothing, unless all of them do. */
export function tellingWords(words: readonly string[]): string[] {
  const telling = words.filter((word) => !functionWords.has(word));
  return telling.length > 0 ? telling : [...words];
}
