const mostOfStart = 64 * 1024
const mostOfEnd = 192 * 1024

/** What a program prints, however much it is: how it began and how it ended. */
export class KeptOutput {
  #start = ''
  #end = ''
  #cut = 0

  add(text: string): void {
    const room = mostOfStart - this.#start.length
    this.#start += text.slice(0, room)
    this.#end += text.slice(room > 0 ? room : 0)
    // Only now and then, so that many small pieces cost no more than a few large ones.
    if (this.#end.length > 2 * mostOfEnd) this.#shorten()
  }

  #shorten(): void {
    const over = this.#end.length - mostOfEnd
    if (over <= 0) return
    this.#cut += over
    this.#end = this.#end.slice(over)
  }

  get text(): string {
    this.#shorten()
    return this.#cut > 0
      ? `${this.#start}\n… ${this.#cut} characters were left out here …\n${this.#end}`
      : this.#start + this.#end
  }
}
