/** The title of alerts that only try a source. An incident that one of them opened is a test, no matter who sent it. */
export const testAlertTitle = 'Test alert from Signalbox'

export const isTestIncident = ({ title }: { title: string }): boolean => title === testAlertTitle

/** Of a delivery that opens an incident marked as a test. Its value is made by the app and expires. */
export const testMarkHeader = 'x-signalbox-test'
