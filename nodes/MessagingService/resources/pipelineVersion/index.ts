export { create } from './create';
export { update } from './update';
