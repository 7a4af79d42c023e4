import { shippedPackages } from './shipped-packages.ts'

/** NOTICE: what is shipped beside our own code, and under which licence. */
export function notice(): string {
  const packages = shippedPackages()
  const lines = new Set(packages.map(({ name, version, license }) => `${name} ${version}: ${license}`))
  const licenses = Map.groupBy(packages, ({ license }) => license)
  const counted = [...licenses].toSorted(([, one], [, other]) => other.length - one.length)
  return `Signalbox
Licensed under the Apache License, Version 2.0; see LICENSE.

Signalbox includes or installs the packages below, each under its own licence. The texts of their licences are in the
packages themselves, and in licenses.txt of the archives that \`npm run pack\` creates. The embedded database is
PostgreSQL, under the PostgreSQL License. Generated from package-lock.json by \`npm run generate\`.

${counted.map(([license, some]) => `${license}: ${some.length}`).join('\n')}

${[...lines].join('\n')}
`
}
