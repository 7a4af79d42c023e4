/** The lines of a label, from the top. */
export function label({ name, street, postcode, city }) {
  return [name, street, `${postcode} ${city}`].join('\n')
}
