import { deliveryOf, type Sample } from '../sender/sample.ts'

// Without a signature, which only SNS can make.
export const sample: Sample = (alert) => ({
  body: {
    Type: 'Notification',
    MessageId: deliveryOf(alert),
    TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
    Subject: `${alert.status === 'firing' ? 'ALARM' : 'OK'}: "${alert.title}" in EU (Frankfurt)`,
    Message: JSON.stringify({
      AlarmName: alert.title,
      AlarmDescription: `[${alert.severity}] ${alert.title}`,
      AWSAccountId: '123456789012',
      NewStateValue: alert.status === 'firing' ? 'ALARM' : 'OK',
      NewStateReason: 'Threshold Crossed',
      StateChangeTime: alert.at.toISOString().replace('Z', '+0000'),
      Region: 'EU (Frankfurt)',
      AlarmArn: `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${alert.title}`,
    }),
    Timestamp: alert.at.toISOString(),
  },
  headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' },
})
