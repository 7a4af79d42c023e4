import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { openApi } from '../../faces/rest/openapi.ts'
import { referencePage } from '../../faces/rest/reference.ts'
import { routes } from '../../faces/rest/routes.ts'

const api = openApi('/')

test('the document passes the linter’s recommended rules', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: JSON.stringify(api), absoluteRef: 'openapi.json', config })
  assert.deepEqual(
    problems.map((problem) => `${problem.ruleId}: ${problem.message} ${problem.location[0]?.pointer}`),
    [],
  )
})

test('every array says what is in it', () => {
  const bare: string[] = []
  const look = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return
    if ((value as { type?: unknown }).type === 'array' && !('items' in value)) bare.push(path)
    for (const [name, part] of Object.entries(value)) look(part, `${path}/${name}`)
  }
  look(api, '')
  assert.deepEqual(bare, [])
})

test('every endpoint is in the document, and nothing else', () => {
  const described = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const served = routes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`)
  assert.deepEqual(described.toSorted(), served.toSorted())
})

test('the endpoints are those of the specification', () => {
  const specified = [
    'GET /boards',
    'GET /boards/{board}',
    'GET /v1/audit',
    'GET /v1/audit/export',
    'GET /v1/decisions',
    'GET /v1/decisions/{decision}',
    'GET /v1/runs',
    'GET /v1/runs/{run}',
    'GET /v1/stories/{story}',
    'GET /v1/teams',
    'GET /v1/teams/{team}',
    'GET /v1/teams/{team}/stories',
  ]
  const served = routes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`)
  for (const endpoint of specified) assert.ok(served.includes(endpoint), endpoint)
})

test('the reference page says what a POST takes', () => {
  assert.match(referencePage(api, 'http://127.0.0.1'), /Takes \(.*DecisionAnswer.*\), as JSON/)
})
