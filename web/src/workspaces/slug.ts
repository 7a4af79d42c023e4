/** The address a name suggests: `Łódź Depot` becomes `lodz-depot`. */
export const slugOf = (name: string): string =>
  name
    .replaceAll(/ł/gi, 'l')
    .replaceAll(/ß/g, 'ss')
    .replaceAll(/ø/gi, 'o')
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 64)
    .replaceAll(/^-|-$/g, '')

export const slugPattern = '[a-z0-9]+(-[a-z0-9]+)*'
