/**
 * Characters that show nothing, or turn the order of what follows: a line with them reads otherwise than it is run.
 * Tabs are ordinary, and so is what makes the sign before it an emoji.
 */
const hidden =
  /([^\P{Cc}\t]|(?!\ufe0f)[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?<!\p{Extended_Pictographic}|[0-9#*](?=\ufe0f\u20e3))\ufe0f)/u

/** A text cut at what cannot be seen in it: every second piece is such a character. */
export const cutAtHidden = (text: string): string[] => text.split(hidden)

/** As Unicode numbers it. */
export const nameOf = (character: string): string =>
  `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`
