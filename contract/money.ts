/** Amounts as people read them. No schema here: the app takes these values too. */

export const microsPerCent = 10_000

const euro = new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' })
const wholeEuro = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'EUR',
  maximumFractionDigits: 0,
})

/** `€8` or `€8.25`, for figures that stand alone. */
export const money = (cents: number): string =>
  cents % 100 === 0 ? wholeEuro.format(cents / 100) : euro.format(cents / 100)

/** `€8.00`, for settings, which are compared with each other. */
export const moneyToTheCent = (cents: number): string => euro.format(cents / 100)
