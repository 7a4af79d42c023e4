import { SaxesParser } from 'saxes'
import { mostFailures, mostPasses, oneLine, type Report } from './report.ts'

const mostDepth = 100

/** JUnit's XML, the common language of test runners. Nothing is loaded or expanded for it: a doctype is refused. */
export function readJunit(text: string): Report {
  const parser = new SaxesParser()
  const tests = { passed: 0, failed: 0, skipped: 0 }
  const failures: string[] = []
  const passes: string[] = []
  let current: { name: string; result: keyof typeof tests } | null = null
  let depth = 0
  parser.on('doctype', () => {
    throw new Error('It has a doctype.')
  })
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    if (++depth > mostDepth) throw new Error('It is nested too deeply.')
    if (name === 'testcase')
      current = {
        name: [attributes.classname, attributes.name].filter(Boolean).join(' › '),
        result: 'passed',
      }
    else if (current && (name === 'failure' || name === 'error')) current.result = 'failed'
    else if (current && name === 'skipped' && current.result === 'passed') current.result = 'skipped'
  })
  parser.on('closetag', ({ name }) => {
    depth -= 1
    if (name !== 'testcase' || !current) return
    tests[current.result] += 1
    if (current.result === 'failed' && failures.length < mostFailures) failures.push(oneLine(current.name))
    if (current.result === 'passed' && passes.length < mostPasses) passes.push(oneLine(current.name))
    current = null
  })
  parser.write(text).close()
  return { tests, failures, passes, words: null }
}
