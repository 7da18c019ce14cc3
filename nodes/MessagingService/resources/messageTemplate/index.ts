export { getAll } from './getAll';
export { render } from './render';
