/** By which the window of the identity provider tells the page behind it that the person is back. */
const name = 'signalbox-proof'

export function tellProven(): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage('proven')
  channel.close()
}

/** Returns how to stop listening. */
export function onProven(then: () => void): () => void {
  const channel = new BroadcastChannel(name)
  channel.onmessage = then
  return () => channel.close()
}
