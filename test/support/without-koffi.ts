/** Loaded into a server with `--import`: what calls the kernel from Node cannot be loaded, as on machines that it does not support. */
import { registerHooks } from 'node:module';

const missing = () => Object.assign(new Error('koffi is left out'), { code: 'ERR_MODULE_NOT_FOUND' });

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.includes('koffi')) throw missing();
    return next(specifier, context);
  },
});

const { dlopen } = process;
process.dlopen = (...given) => {
  if (String(given[1]).includes('koffi')) throw missing();
  return dlopen.apply(process, given);
};
