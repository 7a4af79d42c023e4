export interface ServerEvent {
  event: string
  data: string
  id: string | null
}

/** The events of a `text/event-stream`, as they come. Comments are heartbeats, and say nothing. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let [rest, event, id] = ['', 'message', null as string | null]
  let data: string[] = []
  const decoder = new TextDecoder()
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event, data: data.join('\n'), id }
        event = 'message'
        data = []
        continue
      }
      const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line)!
      if (field === 'event') event = value!
      else if (field === 'data') data.push(value!)
      else if (field === 'id') id = value!
    }
  }
}
