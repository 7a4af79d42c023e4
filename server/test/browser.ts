/** A browser as far as cookies go: it keeps what it is given and sends it back, from a page of ours. */
export function browser(url: string) {
  const cookies = new Map<string, string>()
  const keep = (response: Response) => {
    for (const set of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = set.split(';')
      const [name = '', ...value] = pair.split('=')
      if (attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))) cookies.delete(name)
      else cookies.set(name, value.join('='))
    }
    return response
  }
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return {
    cookies,
    get: async (path: string) =>
      keep(await fetch(new URL(path, url), { headers: { cookie: cookie() }, redirect: 'manual' })),
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) =>
      keep(
        await fetch(new URL(path, url), {
          method: 'POST',
          headers: { cookie: cookie(), 'content-type': 'application/json', origin: url, ...headers },
          body: JSON.stringify(body),
        }),
      ),
  }
}
