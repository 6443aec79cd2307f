/** Whether tests run at their full size: `npm run test:full`. */
export const isFullSize = process.env['PATCHBAY_TEST_SIZE'] === 'full';
