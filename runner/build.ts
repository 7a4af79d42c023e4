import path from 'node:path'
import { bundle } from './bundle.ts'

/** `npm run build:runner`: what the package holds. */
const dist = path.join(import.meta.dirname, 'dist')
await bundle('main.ts', path.join(dist, 'signalbox-runner.mjs'))
await bundle('conformance/main.ts', path.join(dist, 'signalbox-runner-conformance.mjs'))
