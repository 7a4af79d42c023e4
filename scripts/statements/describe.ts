import type pg from 'pg'

/** What PostgreSQL says of a statement that was prepared, without running it. */
export interface Described {
  /** The types of the parameters. */
  parameters: number[]
  columns: { name: string; type: number; table: number; attribute: number }[]
}

interface Connection extends NodeJS.EventEmitter {
  parse(query: { name: string; text: string; types: number[] }): void
  describe(what: { type: 'S'; name: string }): void
  sync(): void
}

interface Field {
  name: string
  dataTypeID: number
  tableID: number
  columnID: number
}

/** Parse and Describe of the protocol: pg itself sends them only together with the values. */
export function describe(client: pg.Client, text: string): Promise<Described> {
  const { promise, resolve, reject } = Promise.withResolvers<Described>()
  const described: Described = { parameters: [], columns: [] }
  let connection: Connection
  const heard = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
    described.parameters = dataTypeIDs
  }
  client.query({
    submit(to: unknown) {
      connection = to as Connection
      connection.once('parameterDescription', heard)
      connection.parse({ name: '', text, types: [] })
      connection.describe({ type: 'S', name: '' })
      connection.sync()
    },
    handleRowDescription({ fields }: { fields: Field[] }) {
      described.columns = fields.map((field) => ({
        name: field.name,
        type: field.dataTypeID,
        table: field.tableID,
        attribute: field.columnID,
      }))
    },
    handleError(error: Error) {
      connection.off('parameterDescription', heard)
      reject(error)
    },
    handleReadyForQuery() {
      connection.off('parameterDescription', heard)
      resolve(described)
    },
  } as unknown as pg.Submittable)
  return promise
}
