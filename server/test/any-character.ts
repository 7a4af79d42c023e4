import fc from 'fast-check'

/**
 * Any code point. fast-check’s own `binary` keeps a map of all of them, which takes a second and a hundred megabytes in
 * every process that asks for one.
 */
const surrogates = { first: 0xd800, count: 0x800 }
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((at) => String.fromCodePoint(at < surrogates.first ? at : at + surrogates.count))
