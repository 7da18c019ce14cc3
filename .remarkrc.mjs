// Links between the pages, and to headings in them: `npm run lint` checks them.
export default { plugins: [['remark-validate-links', { repository: false }]] };
