// build.mjs makes an object of a tour's file.
declare module "*.toml" {
  const tour: Omit<import("./tour.ts").Tour, "name">;
  export default tour;
}
