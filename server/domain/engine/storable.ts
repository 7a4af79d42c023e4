/** An agent may print anything; jsonb takes neither a NUL nor half of a surrogate pair. */
export const storable = <E>(event: E): E =>
  JSON.parse(JSON.stringify(event), (_, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value,
  )
