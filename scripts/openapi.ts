import { openApi } from '../server/faces/rest/openapi.ts'

/** Prints the OpenAPI document, which a server serves at /v1/openapi.json. */
process.stdout.write(`${JSON.stringify(openApi('/'), null, 2)}\n`)
