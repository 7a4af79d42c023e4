import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { type ShippedPackage, shippedPackages } from './shipped-packages.ts'

/**
 * `npm run sbom`: what npm says of the lock file in CycloneDX, without what is only for development. Its own
 * `--omit=dev` would leave out what a test needs too, such as the web framework of the server.
 */

interface Bom {
  metadata: { component: { 'bom-ref': string } }
  components: { 'bom-ref': string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const said = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--package-lock-only'], {
  ...{ cwd: path.join(import.meta.dirname, '..'), encoding: 'utf8', maxBuffer: 1e9 },
  stdio: ['ignore', 'pipe', 'ignore'],
})
const { components, dependencies, ...rest } = JSON.parse(said) as Bom
const isOurs = (name: string) => /^(@signalbox\/|signalbox)/.test(name)
const shipped = new Map(shippedPackages().map((one) => [`${one.name}@${one.version}`, one]))
const kept = components.filter(({ name, version }) => isOurs(name) || shipped.has(`${name}@${version}`))
const known = new Set([rest.metadata.component['bom-ref'], ...kept.map((one) => one['bom-ref'])])
// Of a package that has a second name for development, npm lists that one alone.
const lost = [...shipped].filter(([id]) => !known.has(id)).map(([id, one]) => componentOf(id, one))
const bom = {
  ...rest,
  components: [...kept, ...lost],
  dependencies: dependencies
    .filter(({ ref }) => known.has(ref))
    .map(({ ref, dependsOn }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => known.has(one) || shipped.has(one)),
    })),
}
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)

function componentOf(id: string, { name, version, license, sha512 }: ShippedPackage) {
  return {
    ...{ 'bom-ref': id, type: 'library', name, version, scope: 'required' },
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(sha512, 'base64').toString('hex') }],
    licenses: [{ license: { id: license } }],
  }
}
