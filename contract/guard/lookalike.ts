/** Letters of other scripts which look like one of ours; only those that are in use. */
const looks = pairs(
  // Cyrillic, Greek, Armenian, and Latin letters that few keyboards have.
  'аa еe оo рp сc хx уy іi јj ѕs һh ԁd ԛq ԝw кk мm тt вb нh гr пn ѵv ѡw әe АA ВB ЕE КK МM НH ОO РP СC ТT ХX УY ІI ЅS ЈJ',
  'αa βb εe ηn ιi κk νv οo ρp τt υu χx ωw γy σo ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
  'օo սu հh ոn ցg քp ɑa ɡg ıi ɩi ʟl ɢg ɪi ᴏo ᴀa ᴄc ᴋk ᴍm ᴠv ᴡw ᴢz',
)

function pairs(...lines: string[]): Map<string, string> {
  const all = lines.flatMap((line) => line.split(' '))
  return new Map(all.map((pair) => [...pair] as [string, string]))
}

/** What a path looks like to a reader. */
export const looksLike = (path: string): string =>
  [...path].map((letter) => looks.get(letter) ?? letter).join('')

/** Of those, the ones that are not also signs of mathematics: `Δx` and `λ` are legitimate. */
export const isLookalike = (letter: string): boolean =>
  letter === 'ο' || (looks.has(letter) && !/[α-ω]/.test(letter))

const isLatin = /\p{Script=Latin}/u
const isOther =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u

/** Of a script with letters that look like Latin ones. */
export const isOtherScript = (letter: string): boolean => isOther.test(letter)

/** One word of letters from two scripts that are alike. */
export const mixesScripts = (path: string): boolean =>
  path.split(/[^\p{L}\p{M}]+/u).some((word) => isLatin.test(word) && isOther.test(word))

const hidden = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u
const allHidden = new RegExp(hidden.source, 'gu')

export const hidesLetters = (path: string): boolean => hidden.test(path)

/**
 * A path as people see it: in quotes, with every letter that is not seen written out, and without the middle of a long
 * one.
 */
export const shownPath = (path: string): string => shown(path, 300)

export function shown(path: string, longest: number): string {
  const seen = shortened(path.replaceAll('`', "'"), longest).replace(
    allHidden,
    (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`,
  )
  return `\`${shortened(seen, longest)}\``
}

const shortened = (text: string, longest: number) =>
  text.length <= longest ? text : `${text.slice(0, longest / 2)}…${text.slice(1 - longest / 2)}`
