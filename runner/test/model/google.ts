import { type Format, listOf, propertiesOf, textOf } from './format.ts'
import { type Answer, usage } from './script.ts'

/** Google generateContent; whether it streams, and which model, is in the path. */
export const google: Format = {
  path: /\/v1(beta)?\/models\/[^/]+:(stream)?generateContent$/i,

  read(body, path) {
    const prompts: { text: string; results: number }[] = []
    for (const { role, parts } of listOf(body.contents)) {
      if (role === 'model') continue
      const results = listOf(parts).filter(({ functionResponse }) => functionResponse).length
      const last = prompts.at(-1)
      if (results > 0 && last) last.results += results
      else prompts.push({ text: textOf(parts), results: 0 })
    }
    const [, model, verb] = /models\/([^/:]+):(\w+)/.exec(path)!
    return {
      model: model!,
      isStreamed: verb!.startsWith('stream'),
      tools: listOf(body.tools)
        .flatMap(({ functionDeclarations }) => listOf(functionDeclarations))
        .map((tool) => ({
          name: String(tool.name),
          properties: propertiesOf(tool.parametersJsonSchema ?? tool.parameters),
        })),
      prompts,
    }
  },

  answer(move, model) {
    return {
      candidates: [{ content: { role: 'model', parts: [partOf(move)] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: usage.input,
        cachedContentTokenCount: usage.cacheRead,
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.output,
      },
      modelVersion: model,
    }
  },

  stream(move, model) {
    return [{ data: google.answer(move, model) }]
  },
}

const partOf = (move: Answer) =>
  'say' in move ? { text: move.say } : { functionCall: { name: move.call.name, args: move.input } }
