# nix-build packaging/recipes/nix
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "gpcl";
  version = "0.1.0";
  src = pkgs.lib.cleanSource ../../..;
  nativeBuildInputs = [ pkgs.cmake pkgs.ninja pkgs.python3 ];
  buildInputs = [ pkgs.cli11 pkgs.libhwy pkgs.nlohmann_json pkgs.opencl-headers pkgs.xxHash ];
  cmakeFlags = [ "-DGPCL_TESTS=OFF" "-DGPCL_HIGHWAY=ON" ];
  doInstallCheck = true;
  installCheckPhase = "$out/bin/gpcl selftest --device host";
  meta = {
    description = "Parallel primitives over OpenCL";
    license = pkgs.lib.licenses.mit;
    platforms = pkgs.lib.platforms.linux;
  };
}
