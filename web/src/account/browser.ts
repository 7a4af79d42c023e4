const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** What a browser calls itself, in words; the order matters, since most of them name others too. */
export function browserOf(userAgent: string | null): string {
  const found = (table: [RegExp, string][]) => table.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1]
  const [browser, system] = [found(browsers), found(systems)]
  return browser && system ? `${browser} on ${system}` : (browser ?? system ?? 'Unknown browser')
}

export function isPhone(userAgent: string | null): boolean {
  const [before = '', ...after] = (userAgent ?? '').split('Android')
  return /iPhone/.test(before) || after.some((part) => /Mobile|iPhone/.test(part))
}
