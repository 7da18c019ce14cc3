export { invokeWebhook } from './invokeWebhook';
