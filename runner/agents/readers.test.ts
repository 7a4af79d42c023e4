import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { AgentEvent, Turn } from './agent.ts'
import { ClaudeReader } from './claude.ts'
import { CodexReader } from './codex.ts'
import { GeminiReader } from './gemini.ts'
import type { Reader } from './native.ts'

let home: string
const events: AgentEvent[] = []
const emit = (event: AgentEvent) => events.push(event)
const turn = () => ({ limits: { home }, model: 'gpt-5.5' }) as unknown as Turn
const usages = () => events.flatMap((event) => (event.type === 'usage' ? [event.usage] : []))

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'home-'))
  events.length = 0
})
afterEach(() => rmSync(home, { recursive: true }))

function read(reader: Reader, lines: object[]): Reader {
  for (const line of lines) reader.read(line as Record<string, unknown>)
  return reader
}

describe('Claude Code', () => {
  const model = (calls: number) => ({
    'claude-opus-5-5': {
      inputTokens: 800 * calls,
      outputTokens: 50 * calls,
      cacheReadInputTokens: 200 * calls,
      cacheCreationInputTokens: 0,
      costUSD: 0.005 * calls,
    },
  })
  const result = { type: 'result', subtype: 'success', is_error: false, session_id: 's-1', result: 'Done.' }

  test('tells what it says, thinks, does and was not let do', () => {
    const { end } = read(new ClaudeReader(turn(), emit), [
      { type: 'system', subtype: 'init', session_id: 's-1' },
      { type: 'assistant', session_id: 's-1', message: { content: [{ type: 'thinking', thinking: 'Hm.' }] } },
      {
        ...{ type: 'assistant', session_id: 's-1' },
        message: { content: [{ type: 'tool_use', id: 't1', name: 'Write', input: { file_path: 'a' } }] },
      },
      {
        ...{ type: 'user', session_id: 's-1' },
        message: { content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: 'No.' }] },
      },
      { type: 'user', session_id: 's-1', message: { content: 'plain text' } },
      { type: 'assistant', session_id: 's-1', message: { content: [{ type: 'text', text: 'Done.' }] } },
      { ...result, permission_denials: [{ tool_name: 'Write', tool_input: { file_path: 'a' } }] },
    ])
    assert.deepEqual(events, [
      { type: 'session', id: 's-1' },
      { type: 'thought', text: 'Hm.' },
      { type: 'tool_began', id: 't1', name: 'Write', input: '{"file_path":"a"}' },
      { type: 'tool_ended', id: 't1', ok: false, output: 'No.' },
      { type: 'said', text: 'Done.' },
      { type: 'denied', what: 'Write {"file_path":"a"}' },
    ])
    assert.deepEqual(end, { ended: 'normally' })
  })

  test('its totals become differences, over resumed turns too', () => {
    read(new ClaudeReader(turn(), emit), [{ ...result, modelUsage: model(3) }])
    read(new ClaudeReader(turn(), emit), [{ ...result, modelUsage: model(5) }])
    assert.deepEqual(
      usages().map(({ amount, input, cacheRead, output }) => [amount?.toFixed(3), input, cacheRead, output]),
      [
        ['0.015', 3_000, 600, 150],
        ['0.010', 2_000, 400, 100],
      ],
    )
  })

  test('its own caps are limits, a refused call for want of money too, anything else a failure', () => {
    const endOf = (last: object) => read(new ClaudeReader(turn(), emit), [{ ...result, ...last }]).end
    assert.equal(endOf({ subtype: 'error_max_turns', is_error: true })?.ended, 'limit')
    assert.equal(endOf({ subtype: 'error_max_budget_usd', is_error: true })?.ended, 'limit')
    assert.equal(endOf({ is_error: true, result: 'API Error: 402 Out of money.' })?.ended, 'limit')
    assert.deepEqual(endOf({ is_error: true, result: 'API Error: 529 Overloaded' }), {
      ...{ ended: 'failed', transient: true },
      error: 'API Error: 529 Overloaded',
    })
    assert.deepEqual(endOf({ subtype: 'error_during_execution', is_error: true, result: undefined }), {
      ...{ ended: 'failed', transient: false },
      error: 'error_during_execution',
    })
  })
})

describe('Codex', () => {
  const completed = (tokens: number) => ({
    type: 'turn.completed',
    usage: { input_tokens: tokens, cached_input_tokens: tokens / 5, output_tokens: tokens / 20 },
  })

  test('tells commands, edits and tools of servers in our words', () => {
    const command = { id: 'item_0', type: 'command_execution', command: 'git status' }
    const { end } = read(new CodexReader(turn(), emit), [
      { type: 'thread.started', thread_id: 'th-1' },
      { type: 'turn.started' },
      { type: 'item.started', item: { ...command, status: 'in_progress' } },
      {
        type: 'item.completed',
        item: { ...command, status: 'completed', aggregated_output: 'clean', exit_code: 0 },
      },
      {
        type: 'item.completed',
        item: {
          id: 'item_1',
          type: 'file_change',
          status: 'completed',
          changes: [{ path: 'a', kind: 'add' }],
        },
      },
      {
        type: 'item.completed',
        item: {
          ...{ id: 'item_2', type: 'mcp_tool_call', server: 'signalbox', tool: 'request_human_input' },
          ...{ status: 'failed', arguments: {}, error: { message: 'no options' } },
        },
      },
      { type: 'item.completed', item: { id: 'item_3', type: 'agent_message', text: 'Done.' } },
      completed(1_000),
    ])
    assert.deepEqual(events.slice(0, 8), [
      { type: 'session', id: 'th-1' },
      { type: 'tool_began', id: 'item_0', name: 'shell', input: 'git status' },
      { type: 'tool_ended', id: 'item_0', ok: true, output: 'clean' },
      { type: 'tool_began', id: 'item_1', name: 'edit', input: 'a' },
      { type: 'tool_ended', id: 'item_1', ok: true, output: '' },
      { type: 'tool_began', id: 'item_2', name: 'signalbox.request_human_input', input: '{}' },
      { type: 'tool_ended', id: 'item_2', ok: false, output: 'no options' },
      { type: 'said', text: 'Done.' },
    ])
    assert.deepEqual(end, { ended: 'normally' })
  })

  test('the totals of its thread become differences', () => {
    const started = { type: 'thread.started', thread_id: 'th-1' }
    read(new CodexReader(turn(), emit), [started, completed(3_000)])
    read(new CodexReader(turn(), emit), [started, completed(6_000)])
    assert.deepEqual(
      usages().map(({ amount, input, cacheRead, output }) => [amount, input, cacheRead, output]),
      [
        [null, 3_000, 600, 150],
        [null, 3_000, 600, 150],
      ],
    )
  })

  test('a failed turn says whether it was the money', () => {
    const failed = (message: string) =>
      read(new CodexReader(turn(), emit), [{ type: 'turn.failed', error: { message } }]).end
    assert.equal(failed('unexpected status 402 Payment Required')?.ended, 'limit')
    assert.deepEqual(failed('stream disconnected before completion'), {
      ...{ ended: 'failed', transient: true },
      error: 'stream disconnected before completion',
    })
  })
})

describe('Gemini CLI', () => {
  test('tells what its own rules refused', () => {
    read(new GeminiReader(emit), [
      { type: 'tool_use', tool_id: 'w', tool_name: 'write_file', parameters: { file_path: 'a' } },
      {
        type: 'tool_result',
        tool_id: 'w',
        status: 'error',
        error: { type: 'policy_violation', message: 'Denied.' },
      },
    ])
    assert.deepEqual(events, [
      { type: 'tool_began', id: 'w', name: 'write_file', input: '{"file_path":"a"}' },
      { type: 'denied', what: 'Denied.' },
      { type: 'tool_ended', id: 'w', ok: false, output: 'Denied.' },
    ])
  })

  test('a turn that ended in an error has what it printed before as its reason', () => {
    const { end } = read(new GeminiReader(emit), [
      { type: 'error', severity: 'error', message: 'The service is unavailable (503)' },
      { type: 'result', status: 'error', error: { type: 'Error', message: 'It broke.' } },
    ])
    assert.deepEqual(end, {
      ...{ ended: 'failed', transient: true },
      error: 'It broke.\nThe service is unavailable (503)',
    })
  })
})
