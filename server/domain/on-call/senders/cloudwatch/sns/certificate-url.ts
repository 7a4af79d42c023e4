// A region, spelled out. Looser patterns in common use accept sns.s3-us-west-2.amazonaws.com, a bucket anyone can own.
const host = /^sns\.[a-z]{2}(?:-[a-z]+)+-\d\.amazonaws\.com(?:\.cn)?$/
const path = /^\/SimpleNotificationService-[0-9a-f]{32}\.pem$/i

/** The address of an SNS signing certificate, when it is one that SNS itself would give; null otherwise. */
export function certificateUrl(text: string): URL | null {
  const url = URL.parse(text)
  // Neither a port nor a name nor a query, nor anything that reading has tidied up: SNS writes none of it.
  if (url === null || `https://${url.hostname}${url.pathname}` !== text) return null
  return host.test(url.hostname) && path.test(url.pathname) ? url : null
}

export const isCertificateUrl = (url: URL): boolean => certificateUrl(url.href) !== null
