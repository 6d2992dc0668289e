// Style sheets, which the bundler gathers.
declare module "*.css";
