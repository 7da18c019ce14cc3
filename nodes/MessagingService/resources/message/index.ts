export { getAll } from './getAll';
export { waitForReply } from './waitForReply';
