/** Each time zone with its name as people read it. */
export const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone): [string, string] => [
  zone,
  zone.replaceAll('_', ' '),
])
