import { randomBytes, X509Certificate } from 'node:crypto'
import type * as Pki from 'pkijs'

/**
 * Timestamps of RFC 3161: an authority signs that it has seen a digest at a time. Requests, and what is to be believed of
 * an answer. Nothing here knows what is stamped.
 */

/** What an authority has signed. */
export interface Timestamp {
  at: Date
  /** The authority, as its certificate names it. */
  by: string
  /** Whether the certificate leads to one that is trusted; null where none was given. */
  trusted: boolean | null
}

/** Loaded when they are needed: most servers ask no authority, and they are large. */
const libraries = async () => ({ asn1js: await import('asn1js'), pkijs: await import('pkijs') })
type Libraries = Awaited<ReturnType<typeof libraries>>

const sha256 = '2.16.840.1.101.3.4.2.1'
const timeStamping = '1.3.6.1.5.5.7.3.8'
const commonName = '2.5.4.3'
/** Granted, and granted with changes. */
const grantedStatuses = [0, 1]

/** What an authority is asked: to stamp the SHA-256 digest of these bytes. */
export async function timestampRequest(data: Buffer): Promise<Buffer> {
  const { asn1js, pkijs } = await libraries()
  const digest = await crypto.subtle.digest('SHA-256', bytesOf(data))
  const nonce = randomBytes(8)
  // A positive number, as short as it can be.
  nonce[0] = (nonce[0]! & 0x3f) | 0x40
  const request = new pkijs.TimeStampReq({
    version: 1,
    messageImprint: new pkijs.MessageImprint({
      hashAlgorithm: new pkijs.AlgorithmIdentifier({ algorithmId: sha256 }),
      hashedMessage: new asn1js.OctetString({ valueHex: digest }),
    }),
    nonce: new asn1js.Integer({ valueHex: bytesOf(nonce) }),
    certReq: true,
  })
  return Buffer.from(request.toSchema().toBER())
}

/** Whether an answer is one to this request: the nonce is the one that was sent. */
export async function answersRequest(response: Buffer, request: Buffer): Promise<boolean> {
  const { pkijs } = await libraries()
  try {
    const asked = pkijs.TimeStampReq.fromBER(bytesOf(request)).nonce
    const answered = openToken(pkijs, response).info.nonce
    return Boolean(asked && answered?.isEqual(asked))
  } catch {
    return false
  }
}

/**
 * The time in an answer, if an authority has signed it for these bytes; throws otherwise, and says why. The signer's
 * certificate has to be one for timestamps. With `authorities` (PEM) it also says whether it leads to one of them.
 */
export async function openTimestamp(
  response: Buffer,
  data: Buffer,
  authorities: string | null,
): Promise<Timestamp> {
  const { pkijs } = await libraries()
  const { signed, info } = openToken(pkijs, response)
  const signer = signerOf(pkijs, signed)
  const verify = (more: object) =>
    signed.verify({ signer: 0, data: bytesOf(data), checkDate: info.genTime, ...more }).catch((error) => {
      throw new Error(`The timestamp is not valid: ${String((error as Error).message)}`)
    })
  if (!(await verify({}))) throw new Error('The signature of the timestamp does not match.')
  const trusted = authorities === null ? null : await leadsToOne(verify, certificatesIn(pkijs, authorities))
  return { at: info.genTime, by: nameOf(signer), trusted }
}

/** A chain that leads nowhere is an answer here, not a failure. */
async function leadsToOne(
  verify: (more: object) => Promise<boolean>,
  trustedCerts: Pki.Certificate[],
): Promise<boolean> {
  return verify({ checkChain: true, trustedCerts }).catch(() => false)
}

function openToken(pkijs: Libraries['pkijs'], response: Buffer) {
  const { status, timeStampToken } = pkijs.TimeStampResp.fromBER(bytesOf(response))
  if (!grantedStatuses.includes(status.status) || !timeStampToken) {
    const said = status.statusStrings?.map(({ valueBlock }) => valueBlock.value.replace(/\.$/, '')).join(' ')
    throw new Error(`The timestamp authority refused: ${said || `status ${status.status}`}.`)
  }
  const signed = new pkijs.SignedData({ schema: timeStampToken.content })
  const content = signed.encapContentInfo.eContent
  if (!content || signed.signerInfos.length !== 1)
    throw new Error('The timestamp is not signed by one authority.')
  return { signed, info: pkijs.TSTInfo.fromBER(content.getValue()) }
}

function signerOf(pkijs: Libraries['pkijs'], signed: Pki.SignedData): Pki.Certificate {
  const sid = signed.signerInfos[0]!.sid as Pki.IssuerAndSerialNumber
  const found = (signed.certificates ?? []).find(
    (one): one is Pki.Certificate =>
      one instanceof pkijs.Certificate &&
      one.issuer.isEqual(sid.issuer) &&
      one.serialNumber.isEqual(sid.serialNumber),
  )
  if (!found) throw new Error('The timestamp comes without the certificate of its authority.')
  const usage = found.extensions?.find(({ extnID }) => extnID === '2.5.29.37')
  const purposes = (usage?.parsedValue as Pki.ExtKeyUsage | undefined)?.keyPurposes ?? []
  if (!usage?.critical || purposes.length !== 1 || purposes[0] !== timeStamping)
    throw new Error('The certificate that signed the timestamp is not one for timestamps.')
  return found
}

const nameOf = ({ subject }: Pki.Certificate): string => {
  const names = subject.typesAndValues
  const best = names.find(({ type }) => type === commonName) ?? names[0]
  return String(best?.value.valueBlock.value ?? 'an unnamed authority')
}

/** The certificates in a PEM file. */
function certificatesIn(pkijs: Libraries['pkijs'], pem: string): Pki.Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  return blocks.map((block) => pkijs.Certificate.fromBER(bytesOf(new X509Certificate(block).raw)))
}

const bytesOf = (buffer: Buffer): ArrayBuffer => Uint8Array.from(buffer).buffer
